import { checkCall } from './check-call.ts';
import type { CallEvidence } from './check-call.ts';

addEventListener('message', ({ data }: MessageEvent<CallEvidence>) => {
  postMessage(checkCall(data));
});
