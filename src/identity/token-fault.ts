/** Why a token is not taken. The sender learns only that it has ended; all other reasons are for the operator. */
export type TokenFaultReason =
  | 'token_expired'
  | 'jwt_malformed'
  | 'jwt_issuer'
  | 'jwt_audience'
  | 'jwt_signature'
  | 'jwt_algorithm'
  | 'jwt_type'
  | 'jwt_not_yet_valid'
  | 'jwt_keys_too_old'
  | 'jwt_too_long_lived';

/** A token that is not taken. The message holds nothing of the token but names of claims. */
export class TokenFault extends Error {
  readonly reason: TokenFaultReason;

  constructor(reason: TokenFaultReason, message: string) {
    super(message);
    this.name = 'TokenFault';
    this.reason = reason;
  }
}

/** The keys of an issuer cannot be had: whether a token is good is not known. */
export class KeysUnavailable extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'KeysUnavailable';
  }
}
