import { readFile } from 'node:fs/promises';

const pause = 250;
const mostProcesses = 512;
const pageSize = 4096;

/** Watches the memory of a process and of all below it. */
export class MemoryWatch {
  readonly #pid: number;
  readonly #most: number;

  /** @param most Bytes. */
  constructor(pid: number, most: number) {
    this.#pid = pid;
    this.#most = most;
  }

  /** Looks four times a second, and calls once it is too much. Returns what ends the watch. */
  watch(onTooMuch: () => void): () => void {
    let isOver = false;
    let timer = setTimeout(look, pause);
    const { sum, most } = { sum: () => this.#sum(), most: this.#most };
    async function look(): Promise<void> {
      const bytes = await sum().catch(() => 0);
      if (isOver) return;
      if (bytes > most) onTooMuch();
      else timer = setTimeout(look, pause);
    }
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }

  async #sum(): Promise<number> {
    let bytes = 0;
    const waiting = [this.#pid];
    for (let seen = 0; seen < mostProcesses; seen += 1) {
      const pid = waiting.pop();
      if (pid === undefined) break;
      const [children = '', statm = ''] = await Promise.all([
        readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => ''),
        readFile(`/proc/${pid}/statm`, 'utf8').catch(() => ''),
      ]);
      const [, resident = 0, shared = 0] = statm.split(' ').map(Number);
      bytes += Math.max(0, resident - shared) * pageSize;
      waiting.push(...children.trim().split(' ').filter(Boolean).map(Number));
    }
    return bytes;
  }
}
