import { useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { describeError } from '../../api/api-error.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Notice } from '../../ui/page-state.tsx';
import { keysQuery, rotateKey } from './keys-query.ts';
import type { ApiKey } from './keys-query.ts';
import { NewKeyText } from './new-key.tsx';

type RotateKeyDialogProps = { apiKey: ApiKey; onClose: () => void };

export const RotateKeyDialog = ({ apiKey, onClose }: RotateKeyDialogProps) => {
  const client = useQueryClient();
  const [immediately, setImmediately] = useState(false);
  const rotating = useMutation({
    mutationFn: rotateKey,
    onSuccess: () => client.invalidateQueries({ queryKey: keysQuery.queryKey }),
  });
  const keyText = rotating.data?.key;
  return (
    <Dialog
      title={keyText === undefined ? `Rotate “${apiKey.name}”` : 'Your new API key'}
      isOpen
      onClose={onClose}
      isPersistent={keyText !== undefined}
    >
      {keyText === undefined ? (
        <>
          <p>
            A new key with the same name, scopes and expiry replaces this one. The old key keeps
            working for 24 hours, so that programs can change over.
          </p>
          <Checkbox isSelected={immediately} onChange={setImmediately}>
            End the old key at once, because it may be known to others
          </Checkbox>
          {rotating.isError && <Notice tone="bad">{describeError(rotating.error)}</Notice>}
          <DialogActions>
            <Button onPress={onClose}>Cancel</Button>
            <Button
              kind="primary"
              isPending={rotating.isPending}
              onPress={() => rotating.mutate({ id: apiKey.id, immediately })}
            >
              Rotate the key
            </Button>
          </DialogActions>
        </>
      ) : (
        <NewKeyText keyText={keyText} onClose={onClose} />
      )}
    </Dialog>
  );
};
