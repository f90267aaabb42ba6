import { enginesOf } from './engines.ts';

/** What the books hold of one call, straight from the database. */
export interface BookedCall {
  readonly id: string;
  /** The provider's own id of the answer. */
  readonly upstreamId: string | undefined;
  readonly requestedModel: string;
  readonly streamed: boolean;
  readonly cancelled: boolean;
  readonly finishReason: string | undefined;
  readonly errorType: string | undefined;
  /** Output tokens. */
  readonly output: number;
  /** Nano-USD. */
  readonly cost: number;
}

/** Every call in the books of a folder's gateway, oldest first. Asks the database beside it, as an auditor would. */
export async function readBooks(folder: string): Promise<readonly BookedCall[]> {
  const { rows } = await enginesOf(folder);
  return (await rows('select * from generations order by created_at, id')).map(readCall);
}

function readCall(row: Readonly<Record<string, unknown>>): BookedCall {
  const details = JSON.parse(String(row.details));
  return {
    id: String(row.id),
    upstreamId: textOf(details.upstreamId),
    requestedModel: String(row.requested_model),
    streamed: details.streamed === true,
    cancelled: details.cancelled === true,
    finishReason: textOf(details.finishReason),
    errorType: textOf(details.errorType),
    output: Number(row.output_tokens),
    cost: Number(row.cost),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
