#!/bin/bash
# Plays a whole match between alice and bob, writing and reading every message with s-nail.
#
#     docs/try-it/play.sh FOLDER
#
# FOLDER is the one that start.sh has printed; start.sh must be running, and nobody must have joined yet. The
# match is the one that `make demo` plays: the second sample match of the rule sheet, 25 turns and a resignation.
set -euo pipefail

R=${1:?"usage: play.sh FOLDER (start.sh prints it)"}
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
PBEM=${PBEM:-$HERE/.venv/bin/pbem}
SERVER=games@game.test
SEEN_alice=0
SEEN_bob=0

mails() { find "$R/home/$1@game.test/Maildir/new" "$R/home/$1@game.test/Maildir/cur" -type f 2>/dev/null | wc -l; }

# Waits until NAME has received COUNT more messages: NAME, COUNT.
wait_for() {
    local -n seen=SEEN_$1
    seen=$((seen + $2))
    for _ in $(seq 6000); do
        [ "$(mails "$1")" -lt "$seen" ] || return 0
        sleep 0.1
    done
    echo "play.sh: no message reached $1 within 10 minutes; see $R/pbem.log" >&2
    exit 1
}

# Writes a new message: NAME, TEXT.
write() { printf '%s\n' "$2" | MAILRC=$R/$1.mailrc s-nail -n -s "by s-nail" "$SERVER"; }

inbox() { sed -n 's/^set inbox=//p' "$R/$1.mailrc"; }

# Replies to the newest message, quoting it: NAME, TEXT. s-nail puts the quote above the text.
answer() {
    printf 'reply $\n%s\n~.\nexit\n' "$2" | MAILRC=$R/$1.mailrc s-nail -n '-#~' -f "$(inbox "$1")" >/dev/null
    echo "$1: $2"
}

read_newest() { printf 'type $\nexit\n' | MAILRC=$R/$1.mailrc s-nail -n '-#' -f "$(inbox "$1")"; }

for name in alice bob; do
    write "$name" "join $name"
    wait_for "$name" 1
    answer "$name" yes
    wait_for "$name" 1
done
answer alice "challenge bob quadraphages"
wait_for alice 1
wait_for bob 1
answer bob accept
wait_for alice 1
wait_for bob 1

mapfile -t TURNS < <("$(dirname "$PBEM")/python" -c '
import pathlib
import pbem
from notation import record
print(*record.loads((pathlib.Path(pbem.__file__).parent / "cli" / "demo.txt").read_text()).moves, sep="\n")')
MOVER=alice
OTHER=bob
for turn in "${TURNS[@]}" resign; do
    if [ "$turn" = resign ]; then # the server asks to confirm; both hear of the "yes"
        answer "$MOVER" resign
        wait_for "$MOVER" 1
        turn=yes
    fi
    answer "$MOVER" "$turn"
    wait_for alice 1
    wait_for bob 1
    read -r MOVER OTHER <<<"$OTHER $MOVER"
done
echo
echo "The last message to alice:"
echo
read_newest alice
