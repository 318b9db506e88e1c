-- Up Migration

-- Uses of payment links that a charge under way has taken: one row for each payment, however many charges it needs. A success turns
-- the row into one of links.succeeded_count, any other end deletes it (docs/decisions/0057-link-uses.md).
create table link_uses (
  team_id    bigint not null,
  payment_id text collate "C" not null,
  link_id    text collate "C" not null,
  -- A payment counts once.
  primary key (team_id, payment_id)
);
grant select, insert, delete on link_uses to pirogue_app;
select pirogue_protect('link_uses');

-- How many rows of link_uses the link has, and how many of its payments succeeded without one: their money came after the use had
-- been given back.
alter table links
  add column held_count integer not null default 0 check (held_count >= 0),
  add column late_count integer not null default 0 check (late_count between 0 and succeeded_count);

-- The version before took a use when a payment was created. Only what is being charged keeps it.
insert into link_uses (team_id, payment_id, link_id)
select p.team_id, p.id, p.key_id from payments p
where p.key_id like 'lnk\_%' and (p.status = 'partial' or (p.status in ('pending', 'processing') and exists (
  select 1 from attempts a where a.team_id = p.team_id and a.payment_id = p.id
    and (a.status in ('created', 'open', 'unknown') or a.next_poll_at is not null))));
update links l set held_count = u.held
from (select team_id, link_id, count(*) as held from link_uses group by team_id, link_id) u
where l.team_id = u.team_id and l.id = u.link_id;

-- Never charged more often than the merchant said, whatever the code believes. Money that comes late is counted and never refused.
alter table links
  drop constraint links_uses,
  add constraint links_uses check (succeeded_count - late_count + held_count <= max_uses);
