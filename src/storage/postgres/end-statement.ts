import type { Client } from 'pg';

/** What a client knows of its connection and does with it; its types do not tell. */
interface Wire {
  readonly processID: number;
  readonly secretKey: number;
  readonly connection: {
    startup(settings: unknown): void;
    cancel(processID: number, secretKey: number): void;
  };
}

/**
 * Asks the server to end the statement a connection waits for, over another connection, as the protocol has it; a server
 * does not notice that somebody no longer waits. Resolves when it was asked, or could not be. A pooler passes it on only
 * while the connection itself is open.
 * @param other One that was not connected yet, with a bound on how long that may take.
 */
export async function endStatement(client: Client, other: Client): Promise<void> {
  const { processID, secretKey } = client as unknown as Wire;
  const { connection } = other as unknown as Wire;
  connection.startup = () => connection.cancel(processID, secretKey);
  // The server hangs up without a word.
  await other.connect().catch(() => undefined);
}
