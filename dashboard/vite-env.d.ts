declare module '*.svg' {
  /** Where the built file is. */
  export const address: string;
  // biome-ignore lint/style/noDefaultExport: the builder's own form.
  export default address;
}

declare module '*.css';
