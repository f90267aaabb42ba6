import { type ErrorCode, errorTable } from '../../core/errors.ts';
import { responseErrorCode } from '../../dialects/gateway/assembly/response-error-code.ts';
import { availabilityAdvice, errorAdvice } from './error-advice.ts';
import { type Html, html } from './html.ts';
import { schemaLink } from './schema-html.ts';

/** The section that the `docs_url` of an error leads to: every row of the error table, and why no endpoint served. */
export function errorsHtml(): Html {
  return html`
<section id="errors">
<h2>Errors</h2>
<p>A failure is answered with its status and the body ${schemaLink('Error')}: <code>error.code</code> is the status,
<code>error.metadata.error_type</code> the type below. Once a stream has begun, the same failure is an <code>error</code>
event and a <code>response.failed</code> event, whose response carries <code>error.code</code> as in the last column.
Several rows may share a status and a type; the message tells them apart.</p>
<div class="wide"><table>
<thead><tr><th scope="col">Status</th><th scope="col">Type, and error</th><th scope="col">When</th>
<th scope="col">What to do</th><th scope="col">Retry may help</th><th scope="col">In a response</th></tr></thead>
<tbody>${Object.keys(errorTable).map((code) => errorRow(code as ErrorCode))}</tbody></table></div>
<h3 id="availability">Why no endpoint could serve</h3>
<p>Where the model or every endpoint of it is out of reach, <code>error.metadata.availability</code> says why.</p>
<div class="wide"><table>
<thead><tr><th scope="col">Code</th><th scope="col">When</th><th scope="col">What to do</th></tr></thead>
<tbody>${availabilityAdvice.map(
    ([code, meaning, advice]) => html`
<tr id="availability-${code}"><td><code>${code}</code></td><td>${meaning}</td><td>${advice}</td></tr>`,
  )}</tbody></table></div>
</section>`;
}

function errorRow(code: ErrorCode): Html {
  const { type, status, retryable, text } = errorTable[code];
  return html`
<tr id="error-${code}"><td>${status}</td><td><code>${type}</code><br><small>${code}</small></td><td>${text}</td>
<td>${errorAdvice[code]}</td><td>${retryable ? 'yes' : 'no'}</td><td><code>${responseErrorCode(type)}</code></td></tr>`;
}
