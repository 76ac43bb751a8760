// Runs a fake model provider on bare node:http that speaks all dialects and answers immediately.
import { streamFrames, serveHttp } from '../program/serve-program.ts';
import { makeAnswers } from './mock-answers.ts';
import { TRAFFIC } from './traffic/traffic.ts';
import type { TrafficDialect } from './traffic/traffic.ts';

const ANSWERS = (Object.keys(TRAFFIC) as TrafficDialect[]).map((dialect) => ({
  path: TRAFFIC[dialect].path,
  ...makeAnswers(dialect),
}));

serveHttp((body, response, { path }) => {
  const { plain, stream } = ANSWERS.find((answers) => answers.path === path) ?? ANSWERS[0]!;
  if (body.includes('"stream":true')) {
    streamFrames(response, stream);
    return;
  }
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': plain.length });
  response.end(plain);
});
