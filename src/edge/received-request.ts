import type { IncomingHttpHeaders } from 'node:http';

/** What is read of a request, whoever has parsed it. */
export interface ReceivedRequest {
  /** The id of the generation it may become. */
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  /** Its JSON, once it is read. */
  readonly body: unknown;
}
