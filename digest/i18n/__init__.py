"""All output texts, in English and Chinese side by side."""
