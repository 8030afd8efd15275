-- What a statement says: 'ok', or SQLSTATE, message, DETAIL and HINT, with lines between them.
CREATE FUNCTION said(statement text) RETURNS text LANGUAGE plpgsql AS
$$ DECLARE m text; d text; h text; BEGIN EXECUTE statement; RETURN 'ok';
EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS m = MESSAGE_TEXT, d = PG_EXCEPTION_DETAIL, h = PG_EXCEPTION_HINT; RETURN concat_ws(' | ', SQLSTATE, m, nullif(d, ''), nullif(h, '')); END $$;
