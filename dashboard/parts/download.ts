/** Hands a file to the browser. */
export function download(name: string, file: Blob): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = address;
  link.download = name.replaceAll(/[^\w.-]+/g, '-').toLowerCase();
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
