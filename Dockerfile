# petaudit with its extras and Java. From the top of the repository:
#
#   docker build --tag petaudit .
#   docker run --rm --network none --read-only --tmpfs /tmp --volume "$PWD:/data:ro" \
#       petaudit check released.csv --qi zip,age --k 5
#
# Without Spark and Java it is less than half as large: --build-arg EXTRAS=learn,pandas,polars,postgres,stat
# Debian 12, because it has the Java 17 that the tests run with.
ARG PYTHON=3.11-slim-bookworm

FROM python:${PYTHON} AS build
ARG EXTRAS=learn,pandas,polars,postgres,spark,stat
WORKDIR /source
COPY pyproject.toml README.md LICENSE requirements-dev.txt ./
COPY src src
# The versions are those that the tests run with.
RUN python -m venv --without-pip /opt/petaudit \
    && python -m pip --python /opt/petaudit/bin/python install --no-cache-dir --disable-pip-version-check \
        --constraint requirements-dev.txt ".[${EXTRAS}]"

FROM python:${PYTHON}
ARG EXTRAS=learn,pandas,polars,postgres,spark,stat
COPY scripts/install_spark.sh /tmp/
RUN case ",${EXTRAS}," in *,spark,*) sh /tmp/install_spark.sh ;; esac \
    && rm -rf /var/lib/apt/lists/* /tmp/install_spark.sh \
    && useradd --uid 10001 --no-create-home --home-dir /tmp --shell /usr/sbin/nologin petaudit
COPY --from=build /opt/petaudit /opt/petaudit
# Nothing is written but to /tmp and where --out says; a number, for clusters that ask for one.
ENV HOME=/tmp PATH=/opt/petaudit/bin:$PATH PYTHONDONTWRITEBYTECODE=1
USER 10001:10001
WORKDIR /data
ENTRYPOINT ["petaudit"]
CMD ["--help"]
