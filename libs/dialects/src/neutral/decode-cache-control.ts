import type { JsonObject } from '../dialect.ts';
import { expectObject, isAbsent } from '../json/expect-json.ts';

/**
 * JSON text of the prompt-cache mark of what stands at `path`, which clients of both dialects set;
 * empty: none. Throws INVALID_REQUEST for a mark that is no object.
 */
export const decodeCacheControl = ({ cache_control: mark }: JsonObject, path: string): string =>
  isAbsent(mark) ? '' : JSON.stringify(expectObject(mark, `${path}.cache_control`));
