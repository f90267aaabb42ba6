import type { SandboxLimits } from './sandbox-driver.ts';

/** What a container says once it takes commands. */
export const readyLine = 'ready\n';

/**
 * The first process of a container. It closes what it may have inherited from this process. Then it reads pairs of a mark and a command, each
 * ended by NUL, runs the command in a shell of its own, ends every process that is left, and writes the mark behind both outputs, behind
 * the first one the exit code too. USR1 ends what runs. Nothing in the container can end it, because it is the first process there.
 */
export function supervisorScript({ memory, disk, processes }: SandboxLimits): string {
  const kibibytes = (bytes: number) => Math.ceil(bytes / 1024);
  return `
for fd in /proc/self/fd/*; do fd=\${fd##*/}; if [ "$fd" -gt 2 ]; then eval "exec $fd>&-"; fi; done
ulimit -c 0; ulimit -n 1024; ulimit -f ${kibibytes(disk)}
trap 'kill -KILL -1 2>/dev/null' USR1
cd /work && mkdir -p .tmp
exec 8>&2 2>/dev/null
echo ready
while IFS= read -r -d '' mark && IFS= read -r -d '' command; do
  ( ulimit -u ${processes} && ulimit -v ${kibibytes(memory)} && exec bash --norc --noprofile -c "$command" ) </dev/null 2>&8 8>&- &
  child=$!
  while :; do
    wait "$child"; code=$?
    kill -0 "$child" 2>/dev/null || break
  done
  kill -KILL -1 2>/dev/null
  wait
  printf '%s\\n' "$mark" >&8
  printf '%s%s\\n' "$mark" "$code"
done
`;
}
