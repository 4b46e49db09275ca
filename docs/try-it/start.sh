#!/bin/bash
# Starts a complete mail setup on this machine, to play by email with real mail programs: Dovecot for the
# mailboxes, Postfix (as root) or Exim (as any user) to deliver the mail, and pbem. Ctrl-C stops it all.
#
#     docs/try-it/start.sh          pbem reads its mailbox over IMAP
#     docs/try-it/start.sh lmtp     the mail server delivers to pbem over LMTP
#
# Everything is in one temporary folder, listens on 127.0.0.1 only, and uses free ports.
# The step by step guide is docs/try-it.md.
set -euo pipefail

WAY=${1:-imap}
DOMAIN=game.test
PATH=$PATH:/usr/sbin:/usr/local/sbin
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
PBEM=${PBEM:-$HERE/.venv/bin/pbem}
PYTHON=$(dirname "$PBEM")/python

fail() {
    echo "start.sh: $*" >&2
    exit 1
}

case $WAY in imap | lmtp) ;; *) fail "say imap or lmtp, not $WAY" ;; esac
[ -x "$PBEM" ] || fail "there is no $PBEM; run make test first, or set PBEM to where pbem is"
command -v dovecot >/dev/null || fail "Dovecot is missing: apt-get install dovecot-imapd dovecot-lmtpd"

# Dovecot doesn't deliver as root; if we are root, it and Exim run as nobody.
if [ "$(id -u)" = 0 ]; then
    OWNER=nobody
    GROUP=nogroup
    as_owner() { runuser -u nobody -- "$@"; }
else
    OWNER=$(id -un)
    GROUP=$(id -gn)
    as_owner() { "$@"; }
fi
if EXIM=$(command -v exim4 || command -v exim); then
    MTA=exim
elif [ "$(id -u)" = 0 ] && command -v postfix >/dev/null; then
    MTA=postfix
elif command -v postfix >/dev/null; then
    fail "only root can start Postfix: use sudo, or install Exim (apt-get install exim4-daemon-light)"
else
    fail "a mail server is missing: apt-get install postfix, or exim4-daemon-light"
fi

# Short, because the names of Unix sockets below it may not be long.
R=$(mktemp -d /tmp/pbem-try.XXXX)
chmod 755 "$R"
mkdir "$R/run" "$R/state" "$R/home" "$R/exim"
read -r SMTP IMAP LMTP GAMES < <("$PYTHON" -c '
import socket
probes = [socket.create_server(("127.0.0.1", 0)) for _ in range(4)]
print(*(probe.getsockname()[1] for probe in probes))')

# --- Dovecot: the mailboxes of alice, bob and the server, one Maildir each -----------------------------------

cat >"$R/users" <<END
alice@$DOMAIN:{PLAIN}secret
bob@$DOMAIN:{PLAIN}secret
games@$DOMAIN:{PLAIN}secret
END
cat >"$R/dovecot.conf" <<END
base_dir = $R/run
state_dir = $R/state
log_path = $R/dovecot.log
protocols = imap lmtp
listen = 127.0.0.1
default_internal_user = $OWNER
default_internal_group = $GROUP
default_login_user = $OWNER
first_valid_uid = 1
ssl = no
disable_plaintext_auth = no
mail_location = maildir:~/Maildir
recipient_delimiter = +
namespace inbox {
  inbox = yes
  separator = /
}
passdb {
  driver = passwd-file
  args = scheme=PLAIN username_format=%u $R/users
}
userdb {
  driver = static
  args = uid=$OWNER gid=$GROUP home=$R/home/%u
}
service anvil {
  chroot =
}
service stats {
  chroot =
}
service imap-login {
  chroot =
  inet_listener imap {
    port = $IMAP
  }
  inet_listener imaps {
    port = 0
  }
}
service lmtp {
  user = $OWNER
  inet_listener lmtp {
    port = $LMTP
  }
}
END

# --- The mail server: everybody's mail to Dovecot, the server's own to pbem where that is asked for ----------

make_postfix() {
    local games=""
    [ "$WAY" = imap ] || games="transport_maps = inline:{{games@$DOMAIN = lmtp:inet:127.0.0.1:$GAMES}}"
    mkdir -p "$R/postfix" "$R/queue" "$R/data"
    chown postfix "$R/data"
    cat >"$R/postfix/main.cf" <<END
compatibility_level = 3.6
queue_directory = $R/queue
data_directory = $R/data
maillog_file = $R/mta.log
maillog_file_prefixes = $R
myhostname = $DOMAIN
mydestination =
alias_maps =
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mynetworks = 127.0.0.0/8
smtpd_tls_security_level = none
disable_dns_lookups = yes
recipient_delimiter = +
virtual_mailbox_domains = $DOMAIN
virtual_transport = lmtp:inet:127.0.0.1:$LMTP
default_transport = error:only $DOMAIN is known here
minimal_backoff_time = 1s
maximal_backoff_time = 5s
queue_run_delay = 1s
$games
END
    cat >"$R/postfix/master.cf" <<END
127.0.0.1:$SMTP inet n - n - - smtpd
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
proxymap unix - - n - - proxymap
proxywrite unix - - n - 1 proxymap
smtp unix - - n - - smtp
lmtp unix - - n - - lmtp
error unix - - n - - error
retry unix - - n - - error
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
END
}

make_exim() {
    local games=""
    [ "$WAY" = imap ] || games="
games:
  driver = manualroute
  local_parts = games
  local_part_suffix = +*
  local_part_suffix_optional
  route_list = * 127.0.0.1
  self = send
  transport = games
"
    cat >"$R/exim/exim.conf" <<END
primary_hostname = $DOMAIN
spool_directory = $R/exim/spool
log_file_path = $R/exim/%slog
pid_file_path = $R/exim/exim.pid
exim_path = $EXIM
exim_user = $OWNER
exim_group = $GROUP
never_users = root
deliver_drop_privilege = true
local_interfaces = 127.0.0.1
daemon_smtp_ports = $SMTP
tls_advertise_hosts =
host_lookup =
keep_environment =
acl_smtp_rcpt = accept

begin acl

accept:
  accept domains = $DOMAIN
  deny message = only $DOMAIN is known here

begin routers
$games
mailboxes:
  driver = manualroute
  domains = $DOMAIN
  route_list = * 127.0.0.1
  self = send
  transport = mailboxes

begin transports

mailboxes:
  driver = smtp
  protocol = lmtp
  port = $LMTP
  allow_localhost
  rcpt_include_affixes

games:
  driver = smtp
  protocol = lmtp
  port = $GAMES
  allow_localhost
  rcpt_include_affixes

begin retry

* * F,1h,5s
END
}

# --- pbem ----------------------------------------------------------------------------------------------------

cat >"$R/pbem.toml" <<END
[server]
address = "games@$DOMAIN"
database = "sqlite:///pbem.sqlite"
key = { file = "pbem.key" }
END
if [ "$WAY" = imap ]; then
    cat >>"$R/pbem.toml" <<END

[inbox.imap]
host = "127.0.0.1"
port = $IMAP
username = "games@$DOMAIN"
password = { value = "secret" }
security = "none"
END
else
    cat >>"$R/pbem.toml" <<END

[inbox.lmtp]
port = $GAMES
END
fi
cat >>"$R/pbem.toml" <<END

[outbox.smtp]
host = "127.0.0.1"
port = $SMTP
security = "none"
END

# --- The mail programs ---------------------------------------------------------------------------------------

for name in alice bob; do
    cat >"$R/$name.mailrc" <<END
set v15-compat
set mta=smtp://127.0.0.1:$SMTP smtp-auth=none sendwait
set from=$name@$DOMAIN
set inbox=imap://$name%40$DOMAIN:secret@127.0.0.1:$IMAP/INBOX
set reply-to-honour quote indentprefix="> "
set showname hold keep header emptystart
retain date from to reply-to subject
END
    cat >"$R/$name.muttrc" <<END
set folder = "imap://$name%40$DOMAIN@127.0.0.1:$IMAP/"
set spoolfile = "+INBOX"
set imap_pass = "secret"
set smtp_url = "smtp://127.0.0.1:$SMTP/"
set ssl_starttls = no
set ssl_force_tls = no
set from = "$name@$DOMAIN"
set realname = "$name"
set reply_to = yes
set include = yes
set fast_reply = yes
set sort = threads
set mail_check = 2
set timeout = 2
set record = ""
ignore *
unignore date from to reply-to subject
END
done

# --- Start, tell, wait, stop ---------------------------------------------------------------------------------

RUNNING=""
SERVER=""

# Ends the process whose number is in a file, and waits until it is gone.
end() {
    local pid
    pid=$(cat "$1" 2>/dev/null) || return 0
    for _ in $(seq 50); do
        kill "$pid" 2>/dev/null || return 0
        sleep 0.1
    done
}

stop() {
    trap - EXIT INT TERM
    [ -z "$SERVER" ] || kill "$SERVER" 2>/dev/null || true
    [ -z "$SERVER" ] || wait "$SERVER" 2>/dev/null || true
    case $RUNNING in
    *postfix*) postfix -c "$R/postfix" stop >/dev/null 2>&1 || true ;;
    *exim*) end "$R/exim/exim.pid" ;;
    esac
    case $RUNNING in *dovecot*) end "$R/run/master.pid" ;; esac
    echo
    echo "All stopped. The mails, the database and the logs are still in $R"
}
trap stop EXIT
trap 'exit 0' INT TERM

[ "$(id -u)" != 0 ] || chown -R "$OWNER:$GROUP" "$R/run" "$R/state" "$R/home" "$R/exim"
touch "$R/dovecot.log"
[ "$(id -u)" != 0 ] || chown "$OWNER" "$R/dovecot.log"
as_owner dovecot -c "$R/dovecot.conf"
RUNNING=dovecot
"make_$MTA"
if [ "$MTA" = postfix ]; then
    postfix -c "$R/postfix" start >/dev/null 2>&1 || fail "Postfix did not start; see $R/mta.log"
else
    as_owner "$EXIM" -C "$R/exim/exim.conf" -bd -q2s || fail "Exim did not start; see $R/exim/mainlog"
fi
RUNNING="$RUNNING $MTA"
"$PBEM" init --config "$R/pbem.toml" >/dev/null
setsid "$PBEM" run --config "$R/pbem.toml" 2>"$R/pbem.log" &
SERVER=$! # in a session of its own, so that Ctrl-C reaches it through stop alone

cat <<END

A mail server ($MTA), Dovecot and pbem run; pbem gets its mail by $WAY. In two other terminals:

    alice, with s-nail:    MAILRC=$R/alice.mailrc s-nail -n
    bob, with mutt:        mutt -n -F $R/bob.muttrc

Each of them starts by writing "join NAME" to games@$DOMAIN.

    what pbem logs:        tail -f $R/pbem.log
    what it has stored:    $PBEM show 1 -c $R/pbem.toml

Ctrl-C stops everything.
END
wait "$SERVER"
