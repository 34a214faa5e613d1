//! The books: what is said to be there one by one is there, and is part of the totals.

pub(super) const QUERIES: [&str; 4] = [
    "SELECT 'the books of day ' || d.day || ' for ' || d.role || ' by ' || d.model || ' speak of ' || d.detailed_calls
            || ' single calls that cost ' || d.detailed_micros || ', and there are ' || count(c.id) || ' that cost '
            || ifnull(sum(c.cost_micros), 0)
     FROM cost_days d LEFT JOIN model_calls c
       ON c.org_id = d.org_id AND c.day = d.day AND c.role = d.role AND c.model = d.model
     GROUP BY d.org_id, d.day, d.role, d.model
     HAVING count(c.id) <> d.detailed_calls OR ifnull(sum(c.cost_micros), 0) <> d.detailed_micros",
    "SELECT 'the books of day ' || d.day || ' for ' || d.role || ' by ' || d.model || ' hold more single calls than calls'
     FROM cost_days d WHERE d.detailed_calls > d.calls + d.saved OR d.detailed_micros > d.cost_micros
        OR d.detailed_calls < 0 OR d.failed + d.cancelled > d.calls",
    "SELECT 'call ' || c.id || ' of a model is in no total' FROM model_calls c
     WHERE NOT EXISTS (SELECT 1 FROM cost_days d
        WHERE d.org_id = c.org_id AND d.day = c.day AND d.role = c.role AND d.model = c.model)",
    "SELECT 'an answer is kept for job ' || a.job_id || ', which needs none' FROM saved_answers a
     WHERE NOT EXISTS (SELECT 1 FROM jobs j
        WHERE j.id = a.job_id AND j.org_id = a.org_id AND j.state IN ('queued', 'running'))",
];
