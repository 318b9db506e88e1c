-- Up Migration

-- A customer that an invoice created could have fields that nothing had validated. Text where an object belongs cannot be returned: each
-- response with that customer was an internal error. In such rows it is read as absent, and the next change of the customer removes it.
alter table customers add constraint customers_objects check (json_typeof(metadata) = 'object' and json_typeof(address) = 'object'
  and json_typeof(billing) = 'object') not valid;
