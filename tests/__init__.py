"""The tests. They start processes by the hundred, which shall not compile every module anew."""

import os
import sys

sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
