{#
  k-anonymity as a generic test of dbt: it fails if fewer than k rows share their quasi-identifiers.

    models:
      - name: released
        data_tests:
          - k_anonymity:
              arguments:
                quasi_identifiers: [zip, age]
                k: 5

  It counts cells as they are, and petaudit takes off the blanks around them and takes an empty text
  for a null; so it may fail where petaudit passes. In a database whose text has a collation that
  takes 'a' for 'A' it may pass where petaudit fails: do not use it there. What it returns, and what
  dbt stores of it, are sizes of classes and no cells. A table without rows fails.
#}
{% test k_anonymity(model, quasi_identifiers, k) %}
with classes as (
    select count(*) as class_size
    from {{ model }}
    group by {% for name in quasi_identifiers %}{{ adapter.quote(name) }}{{ ", " if not loop.last }}{% endfor %}
)
select class_size from classes where class_size < {{ k | int }}
union all
select 0 as class_size where not exists (select 1 from classes)
{% endtest %}
