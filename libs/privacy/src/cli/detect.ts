import process from 'node:process';
import { createDetector } from '../detect.ts';
import { reportSpans } from './report-spans.ts';
import { runDetect } from './run-detect.ts';

const detect = createDetector();
process.exitCode = await runDetect(process.argv.slice(2), {
  detect: (text) => reportSpans(text, detect(text)),
  stderr: (line) => void process.stderr.write(`${line}\n`),
});
