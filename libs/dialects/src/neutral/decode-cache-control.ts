import type { JsonObject } from '../json/lenient.ts';
import { expectObject, isAbsent } from '../json/expect-json.ts';

/**
 * Returns the JSON text of `cache_control`, a prompt-cache mark that clients of both dialects set;
 * empty if there is none. Throws INVALID_REQUEST for a mark that is not an object.
 */
export const decodeCacheControl = ({ cache_control: mark }: JsonObject, path: string): string =>
  isAbsent(mark) ? '' : JSON.stringify(expectObject(mark, `${path}.cache_control`));
