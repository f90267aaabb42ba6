const secretName = /key|token|secret|passw|credential|auth|cookie/i;

/** Whether a name somebody chose is that of something to hide. */
export function looksLikeSecret(name: string): boolean {
  return secretName.test(name);
}
