import { createMessageAnswer } from '@witan/proof';
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
import { createAnswerNormalizer } from './normalize-answer.ts';

export const messages: Dialect = {
  name: 'messages',
  readRequest,
  readSignals,
  toEgressEdits,
  insertPreamble,
  streamEnd: '',
  readFrame,
  findTextHole,
  createAnswerNormalizer,
  createAnswer: createMessageAnswer,
  toRequestLeaf,
  findAnswerLeaf,
  findFrameLeaf,
  endsSlot,
  encodeSlot,
  decodeRequest,
  encodeRequest,
  // The other encoders name fields as this dialect does.
  nameField: (path) => path,
  decodeResponse,
  createStreamDecoder,
  decodeError,
  encodeResponse,
  createStreamEncoder,
  encodeRefusal,
  encodeError,
  encodeErrorFrame,
};
