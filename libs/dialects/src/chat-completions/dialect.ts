import { createChatAnswer } from '@witan/proof';
import type { Dialect } from '../dialect.ts';
import {
  encodeSlot,
  endsSlot,
  findAnswerLeaf,
  findFrameLeaf,
  findTextHole,
  readFrame,
} from './response.ts';
import { decodeRequest } from './decode-request.ts';
import { decodeResponse } from './decode-response.ts';
import { createStreamDecoder } from './decode-stream.ts';
import {
  insertPreamble,
  readRequest,
  readSignals,
  toEgressEdits,
  toRequestLeaf,
} from './request.ts';
import { decodeError, encodeError, encodeErrorFrame, encodeRefusal } from './encode-error.ts';
import { encodeRequest } from './encode-request.ts';
import { encodeResponse } from './encode-response.ts';
import { createStreamEncoder } from './encode-stream.ts';
import { nameField } from './name-field.ts';
import { createAnswerNormalizer, normalizeErrorText } from './normalize.ts';

/** Dialect of `POST /v1/chat/completions`, used by OpenAI and many local runtimes. */
export const chatCompletions: Dialect = {
  name: 'chat-completions',
  readRequest,
  readSignals,
  toEgressEdits,
  insertPreamble,
  streamEnd: '',
  readFrame,
  findTextHole,
  createAnswerNormalizer,
  normalizeErrorText,
  createAnswer: createChatAnswer,
  toRequestLeaf,
  findAnswerLeaf,
  findFrameLeaf,
  endsSlot,
  encodeSlot,
  decodeRequest,
  encodeRequest,
  nameField,
  decodeResponse,
  createStreamDecoder,
  decodeError,
  encodeResponse,
  createStreamEncoder,
  encodeRefusal,
  encodeError,
  encodeErrorFrame,
};
