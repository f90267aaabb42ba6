import type { IncomingHttpHeaders } from 'node:http';

/** The parts of a request that are read, independent of the code that parsed it. */
export interface ReceivedRequest {
  /** The id of the generation it may become. */
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  /** Its JSON, once it is read. */
  readonly body: unknown;
}
