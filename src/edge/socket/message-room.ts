import { EventEmitter } from 'node:events';
import type { HeadgateError } from '../../core/errors.ts';
import type { BodyBudget, BodyOwner, BodyRoom } from '../body-budget.ts';

/**
 * The room of one message and of what is kept of it, in the same budget as the bodies of HTTP requests: as it arrives,
 * while it is answered, and as long as a later request may go on from it.
 */
export class MessageRoom {
  readonly #holder = Object.assign(new EventEmitter(), { destroyed: false });
  readonly #room: BodyRoom;

  /** @param giveUp Called when the message comes too slowly. */
  constructor(bodies: BodyBudget, owner: BodyOwner, giveUp: (reason: HeadgateError) => void) {
    this.#room = bodies.open(this.#holder, owner);
    this.#room.begin(giveUp);
  }

  /** @throws HeadgateError `service_unavailable` when there is no room for so many bytes more. */
  take(bytes: number): void {
    this.#room.take(bytes);
  }

  /** The message has come whole. */
  arrived(): void {
    this.#room.arrived();
  }

  /** Nothing of it is needed any more. */
  close(): void {
    this.#holder.destroyed = true;
    this.#holder.emit('close');
  }
}
