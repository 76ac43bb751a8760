import type { MessageInitShape } from '@bufbuild/protobuf';
import type { ToolRunSchema } from '@witan/contracts';
import type { ToolRun } from '../tool.ts';

export const toToolRun = (run: ToolRun): MessageInitShape<typeof ToolRunSchema> => {
  const { httpStatus, result, error, ...rest } = run;
  return {
    ...rest,
    ...(httpStatus === null ? {} : { httpStatus }),
    result: result ?? '',
    error: error ?? '',
  };
};
