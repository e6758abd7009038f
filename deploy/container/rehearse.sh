#!/usr/bin/env bash
# Builds the image without a container engine, starts it, and waits for one digest from it.
#
#   deploy/container/rehearse.sh [FOLDER]      (as root, on Debian, with buildah and debootstrap)
#
# buildah follows the Containerfile in a chroot. The base image is not pulled: a minimal Debian with
# Debian's own Python takes its place, so only Debian's packages and the locked dependencies are
# fetched. The container posts to a webhook on loopback and answers /healthz.
# FOLDER (default: a temporary one) keeps the base for the next run.
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mkdir -p "${1:-${TMPDIR:-/tmp}/digestbot-image}" && cd "${1:-${TMPDIR:-/tmp}/digestbot-image}" && pwd)
for tool in buildah debootstrap git python3; do
	command -v "$tool" >/dev/null || { echo "rehearse: no $tool; install Debian's package"; exit 2; }
done
export BUILDAH_ISOLATION=chroot STORAGE_DRIVER=vfs
base=docker.io/library/python:3.12-slim-bookworm
build() { buildah --root "$folder/store" --runroot "$folder/run" "$@"; }

children=()
tidy() {
	for child in "${children[@]}"; do kill "$child" 2>/dev/null || true; done
	[ -z "${container:-}" ] || build rm "$container" >/dev/null
}
trap tidy EXIT

if ! build inspect --type image "$base" >/dev/null 2>&1; then
	debootstrap --variant=minbase --include=python3,python3-venv,python3-pip,python-is-python3,ca-certificates \
		bookworm "$folder/debian" >"$folder/debootstrap.log"
	cp /etc/ssl/certs/ca-certificates.crt "$folder/debian/etc/ssl/certs/" # as this machine trusts
	scratch=$(build from scratch)
	build add --quiet "$scratch" "$folder/debian" / >/dev/null
	build commit --quiet "$scratch" "$base" >/dev/null
	build rm "$scratch" >/dev/null
	rm -rf "$folder/debian"
fi
build bud --layers --network host --pull-never --format docker --env PIP_CERT=/etc/ssl/certs/ca-certificates.crt \
	-f "$source/deploy/container/Containerfile" -t digestbot "$source" >"$folder/build.log" 2>&1 ||
	{ tail -20 "$folder/build.log"; exit 1; }
echo "built: $(build images --noheading --format '{{.Name}} {{.Size}}' localhost/digestbot)"

# A repository with two commits, a webhook that records what it receives, and a digest due in a minute.
rm -rf "$folder/config" "$folder/project" "$folder/posted"
mkdir -p "$folder/config"
git init --quiet --initial-branch main "$folder/project"
land() { git -C "$folder/project" add . && git -C "$folder/project" -c user.name=Ada -c user.email=ada@example.org \
	commit --quiet --message "$1"; }
printf 'import argparse\n\nparser = argparse.ArgumentParser()\nparser.add_argument("--fast")\n' >"$folder/project/cli.py"
land "Add a command line"
sed -i '/--fast/d' "$folder/project/cli.py"
land "Remove the flag --fast"
python3 - "$folder" <<'PYTHON' &
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

class Webhook(BaseHTTPRequestHandler):
    def log_message(self, *words):
        pass

    def do_OPTIONS(self):
        self.send_response(204)
        self.end_headers()

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        open(f"{sys.argv[1]}/posted", "ab").write(body + b"\n")
        self.send_response(200)
        self.end_headers()

server = HTTPServer(("127.0.0.1", 0), Webhook)
open(f"{sys.argv[1]}/port", "w").write(str(server.server_port))
server.serve_forever()
PYTHON
children+=($!)
sleep 2
echo "http://127.0.0.1:$(cat "$folder/port")/" >"$folder/config/url"
echo "a secret of this rehearsal" >"$folder/config/secret"
cat >"$folder/config/digestbot.toml" <<TOML
[defaults]
zone = "UTC"
time = "$(date --utc --date '90 seconds' +%H:%M)"
weekdays = ["mon-sun"]
[web]
listen = "127.0.0.1:18080"
[[repositories]]
place = "/project"
[platforms.own]
kind = "webhook"
url_file = "url"
secret_file = "secret"
[[channels]]
name = "rehearsal"
platform = "own"
chat = "anything"
TOML
chmod 600 "$folder/config/url" "$folder/config/secret"
chown -R 10001:10001 "$folder/config" "$folder/project"

container=$(build from --pull-never localhost/digestbot)
build run --network host --volume "$folder/config:/config:ro" --volume "$folder/project:/project:ro" \
	"$container" -- digestbot check
build run --network host --volume "$folder/config:/config:ro" --volume "$folder/project:/project:ro" \
	"$container" -- timeout 200 digestbot run >"$folder/container.log" 2>&1 &
children+=($!)
for _ in $(seq 90); do
	sleep 2
	[ -s "$folder/posted" ] && break
done
python3 -c "import urllib.request as u; print('health:', u.urlopen('http://127.0.0.1:18080/healthz', timeout=4).status)"
grep -q -- "--fast" "$folder/posted" || { tail -20 "$folder/container.log"; echo "nothing was posted"; exit 1; }
echo "posted: $(python3 -c "import json,sys; print(json.loads(open(sys.argv[1]).readline())['text'])" "$folder/posted")"
