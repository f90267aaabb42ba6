import type { SandboxLimits } from './sandbox-driver.ts';

/**
 * The first process of a container. It closes what it may have inherited from this process. Then it reads pairs of a mark and a command, each
 * ended by NUL, runs the command in a shell of its own, ends every process that is left, writes the mark behind both outputs, and
 * the exit code to its own output. USR1 ends what runs. Nothing in the container can end it, because it is the first process there.
 */
export function supervisorScript({ memory, disk, processes }: SandboxLimits): string {
  const kibibytes = (bytes: number) => Math.ceil(bytes / 1024);
  return `
for fd in /proc/self/fd/*; do fd=\${fd##*/}; if [ "$fd" -gt 4 ]; then eval "exec $fd>&-"; fi; done 2>/dev/null
ulimit -c 0; ulimit -n 1024; ulimit -f ${kibibytes(disk)}
trap 'kill -KILL -1 2>/dev/null' USR1
echo ready
while IFS= read -r -d '' mark && IFS= read -r -d '' command; do
  ( ulimit -u ${processes} && ulimit -v ${kibibytes(memory)} && exec bash --norc --noprofile -c "$command" ) </dev/null >&3 2>&4 3>&- 4>&- &
  child=$!
  while :; do
    wait "$child"; code=$?
    kill -0 "$child" 2>/dev/null || break
  done
  kill -KILL -1 2>/dev/null
  wait
  printf '%s' "$mark" >&3
  printf '%s' "$mark" >&4
  printf '%s\\n' "$code"
done
`;
}
