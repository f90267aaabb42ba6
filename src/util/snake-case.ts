/** A name such as `allowedIps` as JSON and SQL write it: `allowed_ips`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
