/**
 * Messages between the processes of an installation. They are JSON, do not wait, and may be lost: whoever needs an answer
 * asks again.
 */
export interface ProcessMessages {
  /** Where others can send messages to this process. */
  readonly address: string;
  /** Sends a message to every other process. */
  broadcast(message: unknown): void;
  /** Sends a message to one process. */
  send(address: string, message: unknown): void;
  /** Hears both kinds. */
  listen(listener: (message: unknown) => void): void;
}
