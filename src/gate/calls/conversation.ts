import type { Message } from "../../tools/contract/tool.ts";

/**
 * What speaks with a language server, inside the sandbox: nothing outside feeds a command. `+ TEXT` adds to a message, `! _` sends it, `? TEXT` waits for one
 * with the text in it, and prints that. A request of the server's own is answered with null. Ends with 3 if the server does.
 */
const SPEAKER = String.raw`
LC_ALL=C
trap '' PIPE
coproc SERVER { exec /bin/bash --norc --noprofile -c -- "$1"; }
pid=$SERVER_PID
exec {to}>&"${"$"}{SERVER[1]}" {from}<&"${"$"}{SERVER[0]}" || exit 3
shift
send() { printf 'Content-Length: %d\r\n\r\n%s' "${"$"}{#1}" "$1" >&"$to" || exit 3; }
said=
while (($#)); do
  case $1 in
    +) said+=$2 ;;
    '!') send "$said"; said= ;;
    '?')
      while :; do
        length=0
        while IFS= read -r line <&"$from" || exit 3; line=${"$"}{line%$'\r'}; [ -n "$line" ]; do
          case $line in [Cc]ontent-[Ll]ength:*) length=${"$"}{line#*:} ;; esac
        done
        [[ $length =~ ^\ *[0-9]{1,9}$ ]] || exit 3
        frame=$(head -c "${"$"}{length// /}" <&"$from")
        case $frame in *"$2"*) break ;; esac
        if [[ $frame == *'"method":'* && $frame =~ \"id\":\ *(\"[^\"]*\"|[0-9]+) ]]; then
          send '{"jsonrpc":"2.0","id":'"${"$"}{BASH_REMATCH[1]}"',"result":null}'
        fi
      done
      printf '%s\n' "$frame" ;;
  esac
  shift 2
done
kill "$pid"
`;

/** An argument may have 128 KiB. */
const CHUNK = 100_000;

/** The argv of a conversation with the command. */
export function conversation(command: string, messages: readonly Message[]): readonly string[] {
  const words = messages.flatMap(({ text, awaits }) => [
    ...chunks(text.replaceAll(/[\u0080-\uffff]/gu, (unit) => escape(unit))).flatMap((chunk) => ["+", chunk]),
    "!",
    "_",
    ...(awaits === null ? [] : ["?", awaits]),
  ]);
  return ["/bin/bash", "--norc", "--noprofile", "-c", "--", SPEAKER, "warder", command, ...words];
}

/** JSON in ASCII: as many characters as bytes. */
function escape(text: string): string {
  return [...Array(text.length).keys()].map((index) => `\\u${text.charCodeAt(index).toString(16).padStart(4, "0")}`).join("");
}

function chunks(text: string): readonly string[] {
  return Array.from({ length: Math.ceil(text.length / CHUNK) }, (_, index) => text.slice(index * CHUNK, (index + 1) * CHUNK));
}
