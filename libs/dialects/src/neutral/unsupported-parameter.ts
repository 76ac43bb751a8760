import { invalidRequest } from '@witan/contracts';
import type { ServiceError } from '@witan/contracts';

/**
 * Returns the error for a field that the other dialect cannot express. Such a request is refused
 * before anything is sent, because an answer that ignores the field would be wrong. `param` is the
 * path of the field in the client's body, for example `messages[0].content[1].type`.
 */
export const unsupportedParameter = (param: string, reason: string): ServiceError =>
  invalidRequest(
    `${param}: ${reason} Name a model of the dialect that you send, or leave it out.`,
    {
      param,
      code: 'unsupported_parameter',
    },
  );
