import { createResponseAnswer } from '@witan/proof';
import { decodeError, encodeError, encodeRefusal } from '../chat-completions/encode-error.ts';
import type { Dialect } from '../dialect.ts';
import {
  encodeSlot,
  endsSlot,
  findAnswerLeaf,
  findFrameLeaf,
  findTextHole,
  readFrame,
  renumberFrame,
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
import { encodeErrorFrame } from './encode-error.ts';
import { encodeRequest } from './encode-request.ts';
import { encodeResponse } from './encode-response.ts';
import { createStreamEncoder, STREAM_END } from './encode-stream.ts';
import { nameField } from './name-field.ts';
import { createAnswerNormalizer } from './normalize-answer.ts';

/** Dialect of `POST /v1/responses` (Open Responses), whose errors are those of chat-completions. */
export const responses: Dialect = {
  name: 'responses',
  readRequest,
  readSignals,
  toEgressEdits,
  insertPreamble,
  streamEnd: STREAM_END,
  readFrame,
  findTextHole,
  createAnswerNormalizer,
  createAnswer: createResponseAnswer,
  toRequestLeaf,
  findAnswerLeaf,
  findFrameLeaf,
  endsSlot,
  encodeSlot,
  renumberFrame,
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
