/** Why a call failed, in words for people. */
export class CallFailure extends Error {
  /** 0 where no server answered. */
  readonly status: number;
  readonly requestId: string | undefined;

  constructor(
    message: string,
    { status, requestId, cause }: { status: number; requestId?: string | undefined; cause?: unknown },
  ) {
    super(message, { cause });
    this.status = status;
    this.requestId = requestId;
  }
}

interface ErrorBody {
  readonly error?: { readonly message?: unknown };
}

/** What the server said of a failure. */
export async function readFailure(response: Response): Promise<CallFailure> {
  const body: ErrorBody | null = await response.json().catch(() => null);
  const message = body?.error?.message;
  return new CallFailure(typeof message === 'string' ? message : `The server answered ${response.status}.`, {
    status: response.status,
    requestId: response.headers.get('x-request-id') ?? undefined,
  });
}

/** Any thrown value as one sentence. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
