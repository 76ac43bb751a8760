import { invalidRequest } from '@witan/contracts';
import type { ServiceError } from '@witan/contracts';

/**
 * A request that means something the other dialect cannot say: refused before anything is sent,
 * because answering without it would be wrong (gateway.md rule 2). `param` is the path of the
 * field as clients write it, for example `messages[0].content[1].type`.
 */
export const unsupportedParameter = (param: string, why: string): ServiceError =>
  invalidRequest(`${param}: ${why} Name a model of the dialect that you send, or leave it out.`, {
    param,
    code: 'unsupported_parameter',
  });
