/** What a browser sees at the base of the interface; the dashboard is at the root. */
export const landingPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Headgate</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 4rem auto; padding: 0 1rem; }
  code { background: #8882; padding: 0.1em 0.3em; border-radius: 0.2em; }
  :root { color-scheme: light dark; }
</style>
<h1>Headgate is running</h1>
<p>Send requests to <code>POST /api/v1/responses</code> with <code>Authorization: Bearer &lt;API key&gt;</code>.</p>
<ul>
  <li><a href="/">Dashboard</a></li>
  <li><a href="/api/v1/models">Models</a></li>
  <li><a href="/docs">Reference of the interface</a></li>
  <li><a href="/openapi.json">The interface as OpenAPI</a></li>
  <li><a href="/health/ready">Health</a></li>
</ul>
<p>Keys, credits and reports: <code>headgate keys</code>, <code>headgate credits</code>, <code>headgate usage</code>.</p>
`;
