/** `npm run dashboard:dev [-- http://127.0.0.1:8484]`: pages that load anew as they change, in front of a running server. */
import { createServer } from 'vite';
import { viteConfig } from './dashboard-build.ts';

const target = process.argv[2] ?? 'http://127.0.0.1:8484';
const server = await createServer({
  ...viteConfig,
  base: '/ui/',
  server: { port: 5173, proxy: { '^/ui/(api|session)': { target, changeOrigin: true } } },
});
await server.listen();
server.printUrls();
