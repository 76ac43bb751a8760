// Runs a fake model provider on bare node:http that speaks all dialects. It answers immediately,
// or at a realistic pace if the model's name contains PACED_MARK.
import type { ServerResponse } from 'node:http';
import { STREAM_HEADERS, streamFrames, serveHttp } from '../program/serve-program.ts';
import { makeAnswers, PACED_FIRST_MS, PACED_GAP_MS, PACED_MARK } from './mock-answers.ts';
import { TRAFFIC } from './traffic/traffic.ts';
import type { TrafficDialect } from './traffic/traffic.ts';

const ANSWERS = (Object.keys(TRAFFIC) as TrafficDialect[]).map((dialect) => ({
  path: TRAFFIC[dialect].path,
  ...makeAnswers(dialect),
}));

const answer = (response: ServerResponse, body: Buffer): void => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
  response.end(body);
};

/**
 * Writes each chunk at a fixed time after the start, so that a late chunk does not delay the next
 * ones.
 */
const streamPaced = (response: ServerResponse, pieces: readonly Buffer[]): void => {
  const firstAt = performance.now() + PACED_FIRST_MS;
  let next = 0;
  const waitForNext = (): void => {
    const waitMs = firstAt + next * PACED_GAP_MS - performance.now();
    setTimeout(writeNext, Math.max(0, Math.ceil(waitMs)));
  };
  const writeNext = (): void => {
    if (next === 0) response.writeHead(200, STREAM_HEADERS);
    response.write(pieces[next]!);
    next += 1;
    if (next < pieces.length) waitForNext();
    else response.end();
  };
  waitForNext();
};

serveHttp((body, response, { path }) => {
  const { plain, stream, pacedStream } =
    ANSWERS.find((answers) => answers.path === path) ?? ANSWERS[0]!;
  if (!body.includes('"stream":true')) answer(response, plain);
  else if (body.includes(PACED_MARK)) streamPaced(response, pacedStream);
  else streamFrames(response, stream);
});
