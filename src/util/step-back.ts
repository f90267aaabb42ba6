import { readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { basename } from 'node:path';

/**
 * Lets the processor prefer other threads of this process to the calling one: for helper threads that work on what
 * strangers sent, whose time must not be that of everybody's requests. Without effect where threads have no priority of
 * their own (only Linux gives them one).
 */
export function stepBack(): void {
  try {
    // Asked in the thread itself, this names it; only there.
    const thread = Number(basename(readlinkSync('/proc/thread-self')));
    setPriority(thread, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Whoever has no such threads has no such priorities either.
  }
}
