/** Group commit, for every engine. */
export { SettleQueue } from './sqlite/settle-queue.ts';
