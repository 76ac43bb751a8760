// Runs the reference system `pipe`, which forwards calls in bare node:http without parsing bodies.
import { serveForwarder, toEndToEndHeaders } from './serve-forwarder.ts';

serveForwarder((openUpstream) => (request, response) => {
  const upstream = openUpstream(request, (answer) => {
    response.writeHead(answer.statusCode ?? 502, toEndToEndHeaders(answer));
    answer.pipe(response);
  });
  upstream.on('error', () => response.destroy());
  request.pipe(upstream);
});
