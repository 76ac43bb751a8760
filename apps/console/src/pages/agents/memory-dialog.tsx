import { useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { describeError } from '../../api/api-error.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Notice } from '../../ui/page-state.tsx';
import { Select } from '../../ui/select.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { notify } from '../../ui/toast.tsx';
import { agentQuery } from './agents-query.ts';
import type { Agent } from './agents-query.ts';
import css from './agents.module.css';
import { isLocalModel } from './is-local-model.ts';
import { memoriesQuery, saveMemory, TYPES } from './memories-query.ts';
import type { Memory, MemoryDraft } from './memories-query.ts';

const KEY_LENGTH_MAX = 128;
const VALUE_LENGTH_MAX = 4_000;

const EMPTY: MemoryDraft = { key: '', value: '', type: 'fact', global: false };

type MemoryDialogProps = { agent: Agent; memory: Memory | undefined; onClose: () => void };

const useSaveMemory = ({ agent, memory, onClose }: MemoryDialogProps) => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ key, value, type, global }: MemoryDraft) => {
      if (memory?.localOnly) {
        const { model } = await client.fetchQuery({ ...agentQuery(agent.id), staleTime: 0 });
        if (!isLocalModel(model)) throw new Error(`${agent.name} uses a hosted model now.`);
      }
      return saveMemory(agent.id, { key: key.trim(), value, type, global });
    },
    onSuccess: async (_saved, draft) => {
      notify(`${agent.name} remembers ${draft.key.trim()}`);
      onClose();
      // A global memory is one of every agent.
      await client.invalidateQueries({
        queryKey: draft.global ? ['agent'] : memoriesQuery(agent.id).queryKey,
      });
    },
  });
};

/** Adds a memory, or changes the value and the type of one. */
export const MemoryDialog = ({ agent, memory, onClose }: MemoryDialogProps) => {
  const [draft, setDraft] = useState<MemoryDraft>(memory ?? EMPTY);
  const [isChecked, setChecked] = useState(false);
  const saving = useSaveMemory({ agent, memory, onClose });
  // To save it again would clear its marks.
  const isUnchanged = draft.value === memory?.value && draft.type === memory.type;
  const [isKeyMissing, isValueMissing] = [draft.key.trim() === '', draft.value.trim() === ''];
  return (
    <Dialog title={memory ? `Edit “${memory.key}”` : 'Add a memory'} isOpen onClose={onClose}>
      <form
        className={css.dialogForm}
        onSubmit={(event) => {
          event.preventDefault();
          setChecked(true);
          if (!isKeyMissing && !isValueMissing) saving.mutate(draft);
        }}
      >
        {memory === undefined && (
          <TextField
            label="Key"
            autoFocus
            maxLength={KEY_LENGTH_MAX}
            value={draft.key}
            onChange={(key) => setDraft({ ...draft, key })}
            hint="Such as “runway”. A memory with this key is replaced"
            error={isChecked && isKeyMissing ? 'Give the memory a key.' : undefined}
          />
        )}
        <TextField
          label="Value"
          isMultiline
          maxLength={VALUE_LENGTH_MAX}
          value={draft.value}
          onChange={(value) => setDraft({ ...draft, value })}
          error={isChecked && isValueMissing ? 'Write what to remember.' : undefined}
        />
        <Select
          label="Type"
          options={TYPES}
          value={draft.type}
          onChange={(type) => setDraft({ ...draft, type })}
        />
        {memory === undefined && (
          <Checkbox isSelected={draft.global} onChange={(global) => setDraft({ ...draft, global })}>
            All agents of the workspace have it
          </Checkbox>
        )}
        {memory?.global && <Notice>All agents of the workspace have this memory.</Notice>}
        {saving.isError && <Notice tone="bad">{describeError(saving.error)}</Notice>}
        <DialogActions>
          <Button onPress={onClose}>Cancel</Button>
          <Button
            kind="primary"
            type="submit"
            isDisabled={isUnchanged}
            isPending={saving.isPending}
          >
            {memory ? 'Save the value' : 'Add the memory'}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
};
