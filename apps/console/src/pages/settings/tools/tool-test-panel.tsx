import { useState } from 'react';
import { useMutation } from '@tanstack/react-query';
import { Button } from '../../../ui/button.tsx';
import { formatDuration } from '../../../ui/format.ts';
import { Badge, Problem } from '../../../ui/page-state.tsx';
import { Section } from '../../../ui/page.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import css from '../settings.module.css';
import { readObject } from './read-object.ts';
import { testTool } from './tools-query.ts';
import type { ToolTest } from './tools-query.ts';

/** Calls the tool once, as an agent would. */
export const ToolTestPanel = ({ toolId }: { toolId: string }) => {
  const [text, setText] = useState('{}');
  const testing = useMutation({
    mutationFn: async () => testTool(toolId, readObject(text, 'Arguments of the test')),
  });
  return (
    <Section title="Test" intro="Calls the endpoint once, as an agent would.">
      <TextField label="Arguments of the test" isMultiline value={text} onChange={setText} />
      <div>
        <Button icon="playground" isPending={testing.isPending} onPress={() => testing.mutate()}>
          Call the tool
        </Button>
      </div>
      <div aria-live="polite" className={css.sectionList}>
        <Problem error={testing.error} />
        {testing.data && <Result test={testing.data} />}
      </div>
    </Section>
  );
};

const Result = ({ test }: { test: ToolTest }) => (
  <>
    <p>
      <Badge tone={test.success ? 'good' : 'bad'}>
        {test.success ? 'Succeeded' : test.status === 'timeout' ? 'Timed out' : 'Failed'}
      </Badge>{' '}
      {test.httpStatus === null ? 'No answer' : `Status ${test.httpStatus}`}, in{' '}
      {formatDuration(test.durationMs)}
    </p>
    <pre className={css.raw} tabIndex={0} aria-label="Result of the test">
      {test.error ?? JSON.stringify(test.result, undefined, 2)}
    </pre>
  </>
);
