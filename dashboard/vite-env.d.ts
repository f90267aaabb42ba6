declare module '*.svg' {
  /** Where the built file is. */
  export const address: string;
  // biome-ignore lint/style/noDefaultExport: the form of the builder.
  export default address;
}

declare module '*.css';
