import '../style/tokens.css';
import '../style/base.css';
import '../style/notice.css';
import '../style/parts.css';
import '../style/tables.css';
import '../style/dialog.css';
import '../style/charts.css';
import '../style/shell.css';
import { render } from 'preact';
import { App } from './app.tsx';

const place = document.getElementById('app');
if (place !== null) render(<App />, place);
