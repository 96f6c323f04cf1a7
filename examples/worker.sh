#!/bin/sh
# A Belfry worker in shell and curl. One call, POST /v1/work, reports what ended, renews what is held, asks for more.
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT || exit 1
printf '%s\n' "Authorization: Bearer $BELFRY_TOKEN" "Content-Type: application/json" >"$dir/headers"
worker=w-$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n') # each process has an id of its own
seq=0 id='' seen='' cancelled='' stopping='' farewell='' # id: of the attempt held, or ended and not yet reported
handle() { # your work stands here: the payload on standard input, 0 for success; exec, so that it can be stopped
    payload=$(cat); case $payload in *'"fail"'*) exit 1 ;; esac
    exec sleep "$(printf '%s\n' "$payload" | sed 's/.*"seconds":\([0-9]*\).*/\1/; t; s/.*/0/')"
}
run() { # in the background: writes the status into a file and wakes the main loop with a signal
    trap 'kill $child' TERM
    handle <"$dir/payload" & child=$!
    wait $child; echo $? >"$dir/status"; mv "$dir/status" "$dir/ended"; kill -USR1 $$
}
report() { # how the status reads as JSON; a cancelled attempt needs no report, only to be held no longer
    case $(cat "$dir/ended")$cancelled$stopping in
    0*) status='"succeeded"' ;;
    143stopping) status='"released"' ;; # given back, which costs it nothing
    143*) return ;;
    *) status='"failed","error":{"code":"exit","message":"see its output"},"retryable":true' ;;
    esac
    echo "{\"attempt\":$id,\"status\":$status}"
}
exchange() { # $1 attempts wanted, $2 how long to wait, $3 holding: naming it renews its lease, $4 finished
    seq=$((seq + 1)) # ends the server's waiting in earlier exchanges; what those were given is sent again to this one
    echo "{\"worker\":\"$worker\",\"seq\":$seq,\"name\":\"shell-example\",\"pools\":[\"${BELFRY_POOL:-default}\"],\"targets\":[\"none\"],\"capacity\":1," \
        "\"want\":$1,\"wait\":\"$2\",\"holding\":[$3],\"finished\":[$4]}" >"$dir/body"
    curl -sSf -m 9 -H "@$dir/headers" -d "@$dir/body" -o "$dir/answer" "${BELFRY_URL:-http://127.0.0.1:7600}/v1/work" &
    { [ -z "$3" ] || [ ! -e "$dir/ended" ]; } && wait $! && return # a signal ends the wait as well: there is news
    kill $! 2>/dev/null; sleep 0.2; return 1
}
read_answer() { # prints lines: payload JSON, id "att_...", drain true, cancel "att_..."
    grep -oE '"([^"\\]|\\.)*"|[][{}:,]|[^][{}:," ]+' "$dir/answer" | awk '/^[]}]$/ { depth-- }
        depth > 2 && key[3] == "payload" && !(depth == 3 && (is_key[3] || /^[,:]$/)) { payload = payload $0 }
        kind[depth] == "{" && is_key[depth] && /^"/ { gsub(/^"|"$/, ""); key[depth] = $0; is_key[depth] = 0; next }
        depth == 3 && key[1] == "attempts" && key[3] == "id" && /^"/ { print "id", $0 }
        depth == 2 && key[1] == "cancel" && /^"/ || depth == 1 && /^true$/ { print key[1], $0 }
        /^[[{,]$/ { if ($0 != ",") kind[++depth] = $0; is_key[depth] = 1 }
        END { if (payload) print "payload", payload }' | sort -r
}
trap : USR1; trap 'stopping=stopping' TERM INT
while [ -z "$farewell" ] || [ "$id" ]; do
    holding='' finished='' want=1 wait=5s farewell=$stopping # the server waits a third of the lease at most
    [ -z "$id" ] || { [ -e "$dir/ended" ] && finished=$(report); } || { holding=$id want=0; }
    [ -z "$holding" ] || [ -z "$cancelled$stopping" ] || { kill "$work"; sleep 0.2; } # it cannot spin here
    [ -z "$farewell" ] || { want=0 wait=0s; }
    exchange "$want" "$wait" "$holding" "$finished" || { farewell=''; continue; } # it is all said again
    [ "$holding" ] || { id='' cancelled=''; rm -f "$dir/ended"; echo "reported: $finished"; } # and heard
    read_answer >"$dir/lines"
    while read -r word value; do case $word$seen in
        payload*) printf '%s\n' "$value" >"$dir/payload" ;;
        id*"$value"*) ;; # seen: the server sends an attempt again if an answer may have got lost
        id*) seen=$(echo "$value$seen" | cut -c-9999) id=$value
            if [ "$stopping" ]; then echo 143 >"$dir/ended"; else echo "begins $id"; run & work=$!; fi ;;
        cancel*) [ "$value" != "$id" ] || cancelled=cancelled ;;
        drain*) sleep 0.2 ;; # such answers come at once
    esac; done <"$dir/lines"
done
