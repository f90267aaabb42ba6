/** A call that a model made of a tool: of the client's, or of one of the gateway's own. */
export interface ModelCall {
  readonly form: 'function' | 'custom';
  readonly name: string;
  readonly namespace?: string;
  /** The model's own id for the call; undefined when it gave none. */
  readonly callId?: string;
  /** JSON text of a function's arguments, free text of a custom tool. */
  readonly input: string;
}
