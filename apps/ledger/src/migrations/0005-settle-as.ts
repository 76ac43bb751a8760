import { Migration } from '@mikro-orm/migrations';

/**
 * Lets an append settle a reservation under another id: the reservation transfers its tokens to a
 * new one with the certificate's id and ends; the new one is then settled like any other. So every
 * certificate still has one reservation of its id, and ids of certificates and reservations share
 * one space. `settled_as` names the new reservation.
 */
export class SettleAs extends Migration {
  override up(): void {
    this.addSql(`
      ALTER TABLE reservation ADD COLUMN settled_as text,
        -- NOT VALID avoids a scan of the table: the new column is null in all existing rows.
        ADD CONSTRAINT reservation_settled_as
          CHECK (settled_as IS NULL OR (state = 'released' AND settled_as <> id)) NOT VALID`);
  }
}
